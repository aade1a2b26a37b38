"""Several requests at once: schedules of their steps, explored, drawn, replayed and shrunk."""

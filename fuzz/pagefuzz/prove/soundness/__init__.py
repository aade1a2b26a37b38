"""How far below its mark a zone can fall while the count of its free frames still passes."""

class Narrator:
    pass

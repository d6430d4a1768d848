"""Ways in which the bytes of a file go wrong."""

from benchmarks.hostile.attack import Draw


def mutate(content: bytes, draw: Draw) -> tuple[str, bytes]:
    """Change the bytes in one way that really changes them; say which way."""
    ways = list(WAYS)
    while True:
        name = ways[draw.integers(len(ways))]
        changed = WAYS[name](content, draw)
        if changed != content:
            return name, changed


def flip_bit(content: bytes, draw: Draw) -> bytes:
    place = _place(content, draw)
    return content[:place] + bytes([content[place] ^ 1 << int(draw.integers(8))]) + content[place + 1 :]


def change_digit(content: bytes, draw: Draw) -> bytes:
    """Another digit for one of the text: what stays readable is the hardest to notice."""
    places = [place for place, byte in enumerate(content) if chr(byte) in "0123456789"]
    if not places:
        return flip_bit(content, draw)
    place = places[draw.integers(len(places))]
    digit = (content[place] - ord("0") + int(draw.integers(1, 10))) % 10
    return content[:place] + str(digit).encode() + content[place + 1 :]


def truncate(content: bytes, draw: Draw) -> bytes:
    return content[: _place(content, draw)]


def drop_line(content: bytes, draw: Draw) -> bytes:
    lines = content.splitlines(keepends=True)
    place = int(draw.integers(len(lines)))
    return b"".join(lines[:place] + lines[place + 1 :])


def duplicate_line(content: bytes, draw: Draw) -> bytes:
    lines = content.splitlines(keepends=True)
    place = int(draw.integers(len(lines)))
    return b"".join(lines[: place + 1] + lines[place:])


def swap_lines(content: bytes, draw: Draw) -> bytes:
    lines = content.splitlines(keepends=True)
    one, other = draw.integers(len(lines), size=2).tolist()
    lines[one], lines[other] = lines[other], lines[one]
    return b"".join(lines) if len(lines) > 1 else flip_bit(content, draw)


def double(content: bytes, draw: Draw) -> bytes:
    return content + content


def blank_block(content: bytes, draw: Draw) -> bytes:
    """Zeros for a block, as a file system leaves them after a power cut."""
    place = _place(content, draw)
    return content[:place] + bytes(min(512, len(content) - place)) + content[place + 512 :]


WAYS = {
    "flip_bit": flip_bit,
    "change_digit": change_digit,
    "truncate": truncate,
    "drop_line": drop_line,
    "duplicate_line": duplicate_line,
    "swap_lines": swap_lines,
    "double": double,
    "blank_block": blank_block,
}


def _place(content: bytes, draw: Draw) -> int:
    return int(draw.integers(len(content)))

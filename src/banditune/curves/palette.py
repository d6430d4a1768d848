"""The colours of every picture: Okabe and Ito's, which everybody tells apart, and the greys beside them."""

BLUE, ORANGE, GREEN, PINK, SKY, RED = "#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00"
BLACK, GREY = "#1f2933", "#7b8794"

CURVE, BEST, TREND = BLUE, GREEN, RED
RANGE = "#cdeee2"  # the range within one standard error of the best
BEST_TEXT, TREND_TEXT = "#00674a", "#a64700"  # darker, so that words can be read
OTHERS = (ORANGE, SKY, RED, PINK, BLUE, "#7f7f7f")  # of what is compared with the best, in this order

INK, SOFT, GRID, PAPER = BLACK, "#52606d", "#e4e7eb", "#ffffff"

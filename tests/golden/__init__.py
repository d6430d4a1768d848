"""Answers that must not change by accident, with the program that recorded them."""

"""Adapters: one file for each foreign front end or protocol, which turns its words into questions and back."""

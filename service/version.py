"""The version of the package and of the answers its engine gives."""

VERSION = "0.1.0"

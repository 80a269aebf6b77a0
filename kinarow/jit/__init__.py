"""The kernel cache: its folder, compilation ahead of time, and reports of compilation. Imports no kernel."""

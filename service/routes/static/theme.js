// Light or dark: as set on the page at /, else as the system says.
const wanted = matchMedia("(prefers-color-scheme: dark)");

function remembered() {
  try {
    return localStorage.getItem("theme");
  } catch {
    return null; // Storage may be forbidden.
  }
}

function apply() {
  const theme = remembered();
  const dark = theme === "dark" || (theme !== "light" && wanted.matches);
  document.documentElement.classList.toggle("dark-mode", dark);
  document.documentElement.classList.toggle("light-mode", !dark);
}

wanted.addEventListener("change", apply);
apply();

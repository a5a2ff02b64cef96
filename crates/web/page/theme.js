// Dark, light, or as the system has it: remembered where the browser lets us.

const WAYS = ["", "dark", "light"];

const remembered = () => {
  try {
    return localStorage.getItem("colours") ?? "";
  } catch {
    return "";
  }
};

const use = (way) => (document.documentElement.style.colorScheme = way);

use(remembered());
document.getElementById("theme")?.addEventListener("click", () => {
  const next = WAYS[(WAYS.indexOf(document.documentElement.style.colorScheme) + 1) % WAYS.length];
  use(next);
  try {
    localStorage.setItem("colours", next);
  } catch {
    // It is forgotten with the page.
  }
});

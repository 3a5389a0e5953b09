/**
 * Shows the page light, dark or as the system is, and its text as large as wished. Classic script `boot.js` does the same before the first paint.
 * @param {{appearance: string, textSize: string}} choice `system`, `light` or `dark`; a percentage as text.
 */
export function showAppearance({ appearance, textSize }) {
  const root = document.documentElement;
  if (appearance === "light" || appearance === "dark") root.dataset.theme = appearance;
  else delete root.dataset.theme;
  root.style.setProperty("--text-scale", `${Number(textSize) || 100}%`);
  const isDark = appearance === "dark" || (appearance !== "light" && matchMedia("(prefers-color-scheme: dark)").matches);
  for (const meta of document.querySelectorAll('meta[name="theme-color"]')) meta.setAttribute("content", isDark ? "#111213" : "#ffffff");
}

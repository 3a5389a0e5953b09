/* Before the first paint, so that a dark page does not flash white. */
(function () {
  try {
    var choice = JSON.parse(localStorage.getItem("sotto.appearance") || '"system"');
    var size = Number(JSON.parse(localStorage.getItem("sotto.textSize") || '"100"'));
    if (choice === "light" || choice === "dark") document.documentElement.dataset.theme = choice;
    if (size >= 80 && size <= 200) document.documentElement.style.setProperty("--text-scale", size + "%");
  } catch (error) {
    /* Then as the system is. */
  }
})();

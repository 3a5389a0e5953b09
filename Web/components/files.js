/**
 * Gives a file to the person, as the browser does with downloads.
 * @param {Blob} blob The file.
 * @param {string} name Its name.
 */
export function saveFile(blob, name) {
  const address = URL.createObjectURL(blob);
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}

/**
 * Copies a text, because the person asked for it, and says so.
 * @param {object} app The app.
 * @param {string} text The text.
 */
export async function copyText(app, text) {
  try {
    await navigator.clipboard.writeText(text);
    app.toast({ text: "Copied." });
  } catch {
    app.toast({ kind: "error", text: "The browser did not allow copying. Select the text and copy it." });
  }
}

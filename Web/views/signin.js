import { create, drawing, h, render } from "../components/dom.js";
import { field } from "../components/controls.js";

/**
 * What is shown to a browser that is not signed in: how to come in.
 * @param {object} app The app.
 * @returns {{element: Element}} The page.
 */
export function createSignInView(app) {
  const element = create(h("main", { class: "signin" }));
  let code = "";
  let problem = app.signInProblem ?? null;
  let isBusy = false;

  async function submit(event) {
    event.preventDefault();
    // A whole address may be pasted as well.
    const value = (/code=([^&\s]+)/.exec(code)?.[1] ?? code).trim();
    if (!value || isBusy) return;
    isBusy = true;
    draw();
    try {
      await app.signIn(value);
      code = "";
      problem = null;
    } catch (error) {
      problem = error.message;
    }
    isBusy = false;
    draw();
  }

  function draw() {
    render(element, h("div", { class: "signin-card" },
      h("p", { class: "brand large", "aria-hidden": "true" }, "sotto"),
      h("h1", null, "This browser is not signed in"),
      h("p", null, "Sotto answers only to its owner. Open the address that it prints when it starts:"),
      h("pre", { class: "code-block", tabindex: "0", "aria-label": "Example" }, "$ sotto serve\nOpen http://127.0.0.1:7780/#code=…"),
      h(
        "p", { class: "note" },
        "Each address works once, for two minutes. On another device, choose Settings, Devices, Pair in a browser that is signed in, and scan "
          + "the code or type it here.",
      ),
      h("form", { class: "signin-form", onsubmit: submit },
        field({
          id: "code", label: "Code", error: problem,
          props: {
            type: "text", autocomplete: "one-time-code", autocapitalize: "none", spellcheck: "false",
            oninput: (event) => { code = event.target.value; draw(); }
          },
        }),
        h("button", { type: "submit", class: "button primary", disabled: !code.trim() || isBusy }, isBusy ? "Signing in…" : "Sign in"))));
  }

  draw = drawing(draw);
  draw();
  return { element };
}

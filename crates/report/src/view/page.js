"use strict";
(() => {
  const link = document.getElementById("result");
  const address = link ? link.getAttribute("href") : ",null";
  const result = JSON.parse(decodeURIComponent(address.slice(address.indexOf(",") + 1)));

  // Everything that the result says of an id, with the name of the list that it is in.
  const known = new Map();
  const collect = (value, name) => {
    if (Array.isArray(value)) {
      value.forEach((item) => collect(item, name));
    } else if (value && typeof value === "object") {
      if (typeof value.id === "string") {
        // Numbers are ids of values of an axis, and stand in other columns too.
        if (!/^\d+$/.test(value.id)) known.set(value.id, [...(known.get(value.id) || []), [name, value]]);
      }
      // What operations use is in the drawings of their paths.
      Object.entries(value).forEach(([key, inner]) => { if (key !== "paths") collect(inner, key); });
    }
  };
  collect(result, "result");

  // The name of a figure without its unit, and which end of an interval it is.
  const parts = (name) => /^(.*?)((?:_gain)?_(?:low|high))?$/.exec(name).slice(1);
  const words = (name) => {
    const [stem, end = ""] = parts(name);
    return (stem.replace(/(^|_)(bytes_per_s|bytes|per_s|s)$/, "") + end).replaceAll("_", " ").trim();
  };
  const scaled = (value, unit) => {
    const steps = [["T", 1e12], ["G", 1e9], ["M", 1e6], ["k", 1e3], ["", 1], ["m", 1e-3], ["µ", 1e-6], ["n", 1e-9]];
    const [prefix, size] = steps.find(([, size]) => Math.abs(value) >= size) || ["", 1];
    // As everywhere: 180 k ops/s, but GB/s.
    const gap = prefix && unit.startsWith("ops") ? " " : "";
    return `${Number((value / size).toPrecision(3))} ${prefix}${gap}${unit}`;
  };
  const shares = /(^|_)(utilisation|ceiling|saturation|busy|stalled|relative|share|hit_rate|gain)$|^(saturation|likelihood)_/;
  const ofUnit = ["capacity", "usable", "rate", "value", "mean", "low", "high", "interval"];
  const figure = (name, value, of) => {
    if (typeof value !== "number") return String(value);
    const [stem, end = ""] = parts(name);
    if (shares.test(stem) || end.startsWith("_gain")) return `${(value * 100).toFixed(1)} %`;
    if (ofUnit.includes(name) && of.unit && of.unit !== "1") {
      return scaled(value, of.unit.replace("bytes", "B"));
    }
    if (/(^|_)bytes_per_s$/.test(stem)) return scaled(value, "B/s");
    if (stem.endsWith("_per_s")) return scaled(value, `${words(stem)}/s`);
    if (stem.endsWith("_bytes")) return scaled(value, "B");
    if (stem.endsWith("_s")) return scaled(value, "s");
    return String(Number(value.toPrecision(4)));
  };

  // What the result says of a thing, flat: names with dots, and texts.
  const facts = (object, prefix, of) =>
    Object.entries(object).flatMap(([name, value]) => {
      if (name === "id" || name === "unit" || value === null) return [];
      if (Array.isArray(value)) {
        if (value.length === 2 && value.every((end) => typeof end === "number")) {
          return [[prefix + words(name), value.map((end) => figure(name, end, of)).join(" to ")]];
        }
        return value.flatMap((item) =>
          typeof item === "object"
            ? facts(item, `${prefix}${item.cause || item.id || item.operation || words(name)} `, item)
            : [[prefix + words(name), figure(name, item, of)]]);
      }
      if (typeof value === "object") return facts(value, `${prefix}${words(name)} `, value);
      if (name === "cause" || name === "operation") return [];
      return [[(prefix + words(name)).trim(), figure(name, value, of)]];
    });

  const make = (tag, attributes, text) => {
    const element = document.createElement(tag);
    Object.entries(attributes).forEach(([name, value]) => element.setAttribute(name, value));
    if (text !== undefined) element.textContent = text;
    return element;
  };

  // The facts of all that has an id, on one scale of use: where that of usable capacity is known, the share
  // of raw capacity is left out.
  const told = (id, drawn = []) => {
    const all = [...drawn, ...(known.get(id) || [])];
    const isSaturation = (name) => name.startsWith("saturation");
    const hasSaturation = all.some(([, object]) => Object.keys({ ...object, ...object.row }).some(isSaturation));
    return all.map(([name, object]) => [name, facts(object, "", object)
      .filter(([fact]) => !(hasSaturation && fact.endsWith("utilisation")))]);
  };

  // Selecting a resource shows what the result says of it, such as what crosses a link.
  const panel = document.getElementById("selected");
  let marked = [];
  let opener = null;
  const close = () => {
    panel.hidden = true;
    marked.forEach((element) => element.classList.remove("chosen"));
    marked = [];
    if (opener) opener.focus();
    opener = null;
  };
  const select = (id, from, drawn) => {
    close();
    const dismiss = make("button", { class: "close", type: "button" }, "Close");
    dismiss.addEventListener("click", close);
    panel.replaceChildren(dismiss, make("h2", {}, id));
    for (const [name, found] of told(id, drawn)) {
      panel.append(make("h3", {}, words(name)));
      const table = make("table", {});
      for (const [fact, value] of found) {
        const row = table.insertRow();
        // A sentence takes the whole width: beside it the fact would have none.
        const isLong = value.length > 40;
        const text = isLong ? `${fact}: ${value}` : value;
        const cell = make("td", isLong ? { colspan: "2" } : { class: "number" }, text);
        row.append(...(isLong ? [cell] : [make("th", { scope: "row" }, fact), cell]));
      }
      panel.append(table);
    }
    panel.hidden = false;
    marked = [...document.querySelectorAll("[data-id]")].filter((element) => element.dataset.id === id);
    marked.forEach((element) => element.classList.add("chosen"));
    opener = from;
    dismiss.focus();
  };
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && !panel.hidden) close();
  });
  const summary = (id) =>
    told(id).flatMap(([, found]) => found).slice(0, 12)
      .map(([name, value]) => `${name}: ${value}`).join("\n");

  for (const cell of document.querySelectorAll("main tbody th, main tbody td")) {
    const text = cell.textContent;
    const id = known.has(text) ? text : known.has(`link.${text}`) ? `link.${text}` : null;
    if (id === null || cell.firstElementChild) continue;
    const button = make("button", { type: "button", title: summary(id) }, text);
    button.addEventListener("click", () => select(id, button));
    cell.replaceChildren(button);
    cell.closest("tr").dataset.id = id;
  }
  // Parts of the drawing. A box in which other parts can be selected is selected by its name.
  const inDrawing = ({ kind, unit, ...figures }) => {
    const names = ["capacity", "usable", "rate", "saturation"].filter((name) => name in figures);
    return { kind, unit, ...Object.fromEntries(names.map((name) => [name, Number(figures[name])])) };
  };
  const selectable = "svg [data-resources], svg [data-ids]";
  for (const part of document.querySelectorAll(selectable)) {
    const ids = (part.dataset.resources || part.dataset.ids).split(" ");
    const id = ids.find((id) => known.has(id)) || (part.dataset.resources && ids[0]);
    // Of the server of a variant, only its drawing has the figures.
    const isTold = (known.get(id) || []).some(([, object]) => "saturation" in object);
    const drawn = isTold || !part.dataset.capacity ? [] : [["in this drawing", inDrawing(part.dataset)]];
    const element = part.querySelector(selectable) ? part.querySelector(":scope > text") : part;
    if (!id || !element || !(drawn.length || known.has(id))) continue;
    part.closest("svg").setAttribute("role", "group");
    element.dataset.id = id;
    element.setAttribute("tabindex", "0");
    element.setAttribute("role", "button");
    const texts = element.matches("text") ? [element] : [...element.querySelectorAll("text")];
    const label = texts.map((text) => text.textContent).join(" ");
    element.setAttribute("aria-label", label.includes(id) ? label : `${label} ${id}`.trim());
    element.addEventListener("click", () => select(id, element, drawn));
    element.addEventListener("keydown", (event) => {
      if (event.key === "Enter" || event.key === " ") {
        event.preventDefault();
        select(id, element, drawn);
      }
    });
  }

  // Tables sort by what a cell says: numbers by their size in base units, else by letters.
  const prefixes = { "": 1, k: 1e3, M: 1e6, G: 1e9, T: 1e12, P: 1e15, m: 1e-3, "µ": 1e-6, u: 1e-6, n: 1e-9,
    Ki: 2 ** 10, Mi: 2 ** 20, Gi: 2 ** 30, Ti: 2 ** 40 };
  const size = (text) => {
    const found = /^([+-]?[\d,]*\.?\d+(?:e[+-]?\d+)?)\s*(.*)$/.exec(text.trim());
    if (!found) return null;
    const unit = /^(k|M|G|T|P|m|µ|u|n|Ki|Mi|Gi|Ti)?(?:B|bit|s|Hz|W| ?ops)(?:\/|\b|$)/.exec(found[2]);
    return Number(found[1].replaceAll(",", "")) * prefixes[(unit && unit[1]) || ""];
  };
  const value = (row, column) => {
    const cell = row.cells[column];
    const bar = cell.querySelector(".fill");
    return bar ? parseFloat(bar.style.width) : cell.textContent;
  };
  const compare = (a, b) => {
    const [x, y] = [a, b].map((text) => (typeof text === "number" ? text : size(text)));
    if (x !== null && y !== null) return x - y;
    if (x !== null || y !== null) return x === null ? 1 : -1;
    return a.localeCompare(b);
  };
  for (const table of document.querySelectorAll("main table")) {
    const body = table.tBodies[0];
    if (!table.tHead || !(body.rows.length > 2)) continue;
    for (const heading of table.tHead.querySelectorAll("th")) {
      if (heading.firstElementChild) continue;
      const button = make("button", { type: "button", title: "Sort" }, heading.textContent);
      heading.replaceChildren(button);
      button.addEventListener("click", () => {
        const falls = heading.getAttribute("aria-sort") !== "descending";
        for (const other of table.tHead.querySelectorAll("th")) other.removeAttribute("aria-sort");
        heading.setAttribute("aria-sort", falls ? "descending" : "ascending");
        const column = heading.cellIndex;
        const rows = [...body.rows].map((row, index) => [value(row, column), index, row]);
        rows.sort((a, b) => compare(a[0], b[0]) * (falls ? -1 : 1) || a[1] - b[1]);
        body.append(...rows.map((entry) => entry[2]));
      });
    }
  }

  // Sections of which a reader wants one at a time.
  const choices = [...document.querySelectorAll("section.choice")];
  if (choices.length > 1) {
    const bar = make("div", { class: "choices", role: "group", "aria-label": "Show" });
    const show = (chosen, button) => {
      choices.forEach((section) => { section.hidden = chosen !== null && section !== chosen; });
      bar.querySelectorAll("button").forEach((other) => other.setAttribute("aria-pressed", String(other === button)));
    };
    const add = (text, section) => {
      const button = make("button", { type: "button", "aria-pressed": "false" }, text);
      button.addEventListener("click", () => show(section, button));
      bar.append(button);
      return button;
    };
    const all = add("All", null);
    choices.forEach((section) => add(section.querySelector("h2").textContent, section));
    choices[0].before(bar);
    show(null, all);
    const reveal = () => {
      const section = choices.find((section) => `#${section.id}` === location.hash);
      if (section && section.hidden) show(null, all);
    };
    addEventListener("hashchange", reveal);
  }
  addEventListener("beforeprint", () => {
    // Of those with a name one is open, and printed all the same.
    document.querySelectorAll("details:not([name])").forEach((details) => { details.open = true; });
  });
})();

"use strict";
(() => {
  const problems = window.problems;
  const expect = (holds, words) => { if (!holds) problems.push(words); };
  try {
    // A table sorts, both ways.
    const heading = document.querySelector("main thead th button");
    if (heading) {
      const table = heading.closest("table");
      const column = heading.parentElement.cellIndex;
      const cells = () => [...table.tBodies[0].rows].map((row) => row.cells[column].textContent);
      const before = cells().slice().sort().join();
      heading.click();
      expect(heading.parentElement.getAttribute("aria-sort") === "descending", "a heading does not say how it sorts");
      const falling = cells().join();
      heading.click();
      expect(heading.parentElement.getAttribute("aria-sort") === "ascending", "a heading sorts one way only");
      expect(new Set(cells()).size < 2 || cells().join() !== falling, "sorting changes nothing");
      expect(cells().sort().join() === before, "sorting loses rows");
    }
    // A resource can be selected, with the keyboard too, and Escape closes what it shows.
    const panel = document.getElementById("selected");
    const resource = document.querySelector("main tbody button");
    if (resource) {
      expect(resource.title.length > 0, "a resource has no figures to hover over");
      resource.focus();
      resource.click();
      expect(!panel.hidden && panel.textContent.includes(resource.textContent), "a selected resource is not shown");
      expect(panel.querySelectorAll("td").length > 1, "a selected resource has no figures");
      document.dispatchEvent(new KeyboardEvent("keydown", { key: "Escape", bubbles: true }));
      expect(panel.hidden && document.activeElement === resource, "Escape does not close the panel");
    }
    // Headings sort, also those that name a resource.
    for (const button of document.querySelectorAll("main thead th button")) {
      expect(button.title === "Sort", "a heading does not sort");
    }
    // What can be selected in a drawing is in nothing else of that kind, and its label begins with its text.
    for (const part of document.querySelectorAll("svg [role=button]")) {
      expect(!part.querySelector("[role=button]"), "a part of a drawing is in another");
      const texts = part.matches("text") ? [part] : [...part.querySelectorAll("text")];
      const words = texts.map((text) => text.textContent).join(" ");
      expect(part.getAttribute("aria-label").startsWith(words), "a label is not what is written");
    }
    // In every drawing a link can be selected, and has figures.
    for (const drawing of document.querySelectorAll("figure.scroll svg")) {
      const wire = drawing.querySelector(".wire[role=button]");
      expect(wire, "a drawing has no link to select");
      if (!wire) continue;
      wire.dispatchEvent(new MouseEvent("click", { bubbles: true }));
      expect(!panel.hidden && /capacity|saturation/.test(panel.textContent), "a selected link has no figures");
      document.dispatchEvent(new KeyboardEvent("keydown", { key: "Escape", bubbles: true }));
    }
    // A selected point of a sweep has units, and no seconds of a rate.
    const rate = [...document.querySelectorAll("main tbody button")].find((one) => one.closest("tr").cells.length > 1);
    if (rate) {
      rate.click();
      expect(!panel.innerText.includes("per/s"), "a rate has half of its unit");
      document.dispatchEvent(new KeyboardEvent("keydown", { key: "Escape", bubbles: true }));
    }
    // One choice at a time, and all of them again.
    const buttons = [...document.querySelectorAll(".choices button")];
    const sections = [...document.querySelectorAll("section.choice")];
    expect(sections.length < 2 || buttons.length === sections.length + 1, "choices without buttons");
    if (buttons.length) {
      buttons[1].click();
      expect(sections.filter((section) => !section.hidden).length === 1, "a choice shows more than one section");
      const figures = document.querySelectorAll("section.choice figure svg");
      const isShown = (figure) => figure.getClientRects().length > 0;
      expect(!figures.length || [...figures].filter(isShown).length === 1, "a choice does not switch the drawing");
      buttons[0].click();
      expect(sections.every((section) => !section.hidden), "All does not show all");
    }
    // The result can be downloaded.
    const link = document.getElementById("result");
    if (link) {
      const json = decodeURIComponent(link.getAttribute("href").split(",").slice(1).join(","));
      expect(JSON.parse(json).schema === 1 && link.download.endsWith(".json"), "the result cannot be downloaded");
    }
    // The drawing of the server fits a wide page, and has its natural size if that is asked for.
    const drawing = document.querySelector("figure.scroll svg");
    if (drawing && innerWidth >= 1000) {
      const fits = () => drawing.getBoundingClientRect().right <= innerWidth;
      const natural = document.querySelector(".size input");
      expect(fits(), "the drawing is cut");
      natural.click();
      const width = drawing.getBoundingClientRect().width;
      expect(Math.abs(width - drawing.viewBox.baseVal.width) < 2, "the drawing has no natural size");
      natural.click();
      expect(fits(), "the drawing stays large");
    }
    // Nothing is wider than the page but what scrolls.
    expect(document.documentElement.scrollWidth <= innerWidth + 1, "the page is too wide");
  } catch (error) {
    problems.push(String(error));
  }
  document.documentElement.dataset.probe = problems.length ? problems.join("; ") : "ok";
})();

// The live view in its frame is as light or dark as the site.
const live = document.querySelector("iframe.live");
if (live) {
  const tell = () => live.contentWindow.postMessage(document.body.dataset.mdColorScheme === "slate" ? "dark" : "light", "*");
  live.addEventListener("load", tell);
  new MutationObserver(tell).observe(document.body, { attributeFilter: ["data-md-color-scheme"] });
  tell();
}

(() => {
  const state = document.getElementById("fresh");
  const look = async () => {
    if (!document.hidden) {
      try {
        const answer = await fetch(location.href, { cache: "no-store", signal: AbortSignal.timeout(8000) });
        if (!answer.ok) throw new Error(String(answer.status));
        const page = new DOMParser().parseFromString(await answer.text(), "text/html");
        for (const old of document.querySelectorAll("[data-live]")) {
          const now = page.getElementById(old.id);
          if (now && now.innerHTML !== old.innerHTML && !old.contains(document.activeElement)) {
            old.replaceChildren(...now.childNodes);
          }
        }
        state.textContent = "Kept up to date";
        state.classList.remove("lost");
      } catch {
        state.textContent = "The server does not answer; this is what it said last";
        state.classList.add("lost");
      }
    }
    setTimeout(look, 5000);
  };
  setTimeout(look, 5000);
})();

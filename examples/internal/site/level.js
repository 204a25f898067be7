// ?exact in the address asks for emulated multiply-adds where the engine has fused ones, to see that nothing changes but the time.

/** What a loader's option exact is. */
export const exact = new URLSearchParams(location.search).has("exact") || undefined;

/** Says how multiply-adds are computed, and offers the other way where there are two. */
export function tellLevel(element, emulated) {
  element.textContent = emulated ? "emulated, same bits" : "fused";
  if (exact || !emulated) {
    const link = document.createElement("a");
    link.href = exact ? "./" : "?exact";
    link.textContent = exact ? "take fused ones" : "emulate them";
    element.append(" (", link, ")");
  }
}

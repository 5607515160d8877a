/**
 * Applies the appearance that the person has chosen, and the state of the sidebar, before the first paint. A script,
 * because the document of a page is the same for everybody. It is a classic one, which blocks the parser: it imports
 * and exports nothing.
 */
{
  const [, chosen] = /(?:^|;\s*)(?:__Host-)?recto_appearance=(light|dark)/.exec(document.cookie) ?? []
  if (chosen) document.documentElement.dataset.appearance = chosen
  try {
    const { isHidden, width } = JSON.parse(localStorage.getItem('recto.sidebar') ?? '{}')
    document.documentElement.toggleAttribute('data-sidebar-hidden', isHidden === true)
    if (typeof width === 'number') document.documentElement.style.setProperty('--sidebar', `${width}px`)
  } catch {
    // Storage is disabled: the sidebar is as it was built.
  }
}

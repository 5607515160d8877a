/**
 * Applies the appearance that the person has chosen, before the first paint. A script, because the document of a page
 * is the same for everybody. It is a classic one, which blocks the parser: it imports and exports nothing.
 */
{
  const [, chosen] = /(?:^|;\s*)(?:__Host-)?recto_appearance=(light|dark)/.exec(document.cookie) ?? []
  if (chosen) document.documentElement.dataset.appearance = chosen
}

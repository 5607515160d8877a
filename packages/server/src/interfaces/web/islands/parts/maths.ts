import katex from 'katex'

/** Renders formulas; the source stays as their accessible name. */
export async function drawMaths(elements: Iterable<HTMLElement>): Promise<void> {
  await styleSheet()
  for (const formula of elements) {
    if (formula.dataset.drawn !== undefined) continue
    const source = formula.textContent ?? ''
    formula.dataset.drawn = ''
    katex.render(source, formula, {
      displayMode: formula.tagName !== 'SPAN',
      throwOnError: false,
      output: 'htmlAndMathml',
      strict: false,
      trust: false,
      maxExpand: 500,
      maxSize: 50,
    })
  }
}

/** Documents with formulas include the style sheet; others load it on first use. */
function styleSheet(): Promise<void> {
  const address = document.querySelector<HTMLMetaElement>('meta[name="maths-sheet"]')?.content
  if (address === undefined || document.querySelector(`link[href="${address}"]`)) return Promise.resolve()
  const link = document.createElement('link')
  link.rel = 'stylesheet'
  link.href = address
  const loadedSheet = new Promise<void>((resolve) => {
    link.addEventListener('load', () => resolve())
    link.addEventListener('error', () => resolve())
  })
  document.head.append(link)
  return loadedSheet
}

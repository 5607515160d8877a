import katex from 'katex'

/** Renders formulas; the source stays as their accessible name. */
export async function drawMaths(elements: Iterable<HTMLElement>): Promise<void> {
  await styleSheet()
  for (const shown of elements) {
    if (shown.dataset.drawn !== undefined) continue
    const source = shown.textContent ?? ''
    shown.dataset.drawn = ''
    katex.render(source, shown, {
      displayMode: shown.tagName !== 'SPAN',
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
  const loaded = new Promise<void>((resolve) => {
    link.addEventListener('load', () => resolve())
    link.addEventListener('error', () => resolve())
  })
  document.head.append(link)
  return loaded
}

import katex from 'katex'

/** Sets formulas: the source that the service left stays as their name for who cannot see them. */
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

/** The sheet stands in the document of a page that has maths; elsewhere it comes when there first is some. */
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

import mermaid from 'mermaid'

/** The message that a page sends to this frame to render a diagram. Only its own origin gets an answer. */
interface Wish {
  readonly id: number
  readonly source: string
  readonly isDark: boolean
}

addEventListener('message', async ({ data, origin, source }: MessageEvent<Wish>) => {
  if (origin !== location.origin || source !== parent) return
  const { id } = data
  try {
    parent.postMessage({ id, ...(await draw(data)) }, location.origin)
  } catch {
    // Invalid diagrams stay as source.
    parent.postMessage({ id }, location.origin)
  }
})
parent.postMessage('ready', location.origin)

async function draw({ id, source, isDark }: Wish) {
  mermaid.initialize({
    startOnLoad: false,
    securityLevel: 'strict',
    theme: isDark ? 'dark' : 'neutral',
    fontFamily: 'system-ui, sans-serif',
    htmlLabels: false,
    flowchart: { htmlLabels: false },
    maxTextSize: 50_000,
    suppressErrorRendering: true,
  })
  const { svg } = await mermaid.render(`diagram-${id}`, source)
  const holder = document.createElement('div')
  holder.innerHTML = svg
  const drawn = holder.querySelector('svg')
  if (!drawn) throw new Error('The diagram could not be rendered')
  const { width, height } = drawn.viewBox.baseVal
  // An image needs an absolute size.
  drawn.setAttribute('width', String(Math.ceil(width)))
  drawn.setAttribute('height', String(Math.ceil(height)))
  drawn.style.removeProperty('max-width')
  return { svg: new XMLSerializer().serializeToString(drawn), width, height }
}

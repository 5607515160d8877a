import mermaid from 'mermaid'
import { decodeEntities, keepLabelsAsText, messageWithLine, restoreText } from './parts/diagram-text.ts'

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
  } catch (error) {
    parent.postMessage({ id, error: messageWithLine(error, data.source) }, location.origin)
  }
})
keepLabelsAsText()
parent.postMessage('ready', location.origin)

async function draw({ id, source, isDark }: Wish) {
  mermaid.initialize({
    startOnLoad: false,
    securityLevel: 'strict',
    theme: isDark ? 'dark' : 'neutral',
    fontFamily: 'system-ui, sans-serif',
    htmlLabels: false,
    flowchart: { htmlLabels: false },
    // A diagram cannot change these.
    secure: [
      'secure',
      'securityLevel',
      'startOnLoad',
      'maxTextSize',
      'suppressErrorRendering',
      'maxEdges',
      'htmlLabels',
      'dompurifyConfig',
    ],
    maxTextSize: 50_000,
    suppressErrorRendering: true,
  })
  const { svg } = await mermaid.render(`diagram-${id}`, decodeEntities(source))
  const holder = document.createElement('div')
  holder.innerHTML = restoreText(svg)
  const drawnSvg = holder.querySelector('svg')
  if (!drawnSvg) throw new Error('The diagram could not be rendered')
  const { width, height } = drawnSvg.viewBox.baseVal
  // An image needs an absolute size.
  drawnSvg.setAttribute('width', String(Math.ceil(width)))
  drawnSvg.setAttribute('height', String(Math.ceil(height)))
  drawnSvg.style.removeProperty('max-width')
  return { svg: new XMLSerializer().serializeToString(drawnSvg), width, height }
}

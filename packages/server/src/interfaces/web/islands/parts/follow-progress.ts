const LOOK_EVERY_MS = 1_000
const MAX_FAILURES = 60

/**
 * Shows the progress that a screen reports until it reports none; returns that document, or undefined if it cannot be
 * read.
 */
export async function followProgress(url: string, place: HTMLElement): Promise<Document | undefined> {
  for (let failures = 0; failures < MAX_FAILURES; ) {
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS))
    const resultDocument = await look(url)
    if (!resultDocument) {
      failures++
      continue
    }
    failures = 0
    const running = resultDocument.querySelector('[data-running]')
    if (!running) return resultDocument
    // The service rendered it.
    place.innerHTML = running.innerHTML
  }
  return undefined
}

async function look(url: string): Promise<Document | undefined> {
  try {
    const answer = await fetch(url, { headers: { accept: 'text/html' } })
    return answer.ok ? new DOMParser().parseFromString(await answer.text(), 'text/html') : undefined
  } catch {
    // The connection may come back: look again.
    return undefined
  }
}

/** Polls the progress of a rebuild until it is finished. */

const LOOK_EVERY_MS = 1_000
const MOST_FAILURES = 10

const place = document.querySelector<HTMLElement>('[data-rebuild]')
if (place) void watch(place)

async function watch(place: HTMLElement): Promise<void> {
  for (let failures = 0; failures < MOST_FAILURES; ) {
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS))
    const rebuild = await look(place.dataset.rebuild ?? '')
    if (!rebuild) {
      failures += 1
      continue
    }
    failures = 0
    for (const shown of place.querySelectorAll<HTMLElement>('[data-is]')) {
      const value = rebuild[shown.dataset.is ?? '']
      if (typeof value === 'number') shown.textContent = String(value)
    }
    if (rebuild.status === 'done') return location.reload()
  }
}

async function look(id: string): Promise<Readonly<Record<string, unknown>> | undefined> {
  try {
    const answer = await fetch(`/links/rebuild/${encodeURIComponent(id)}`, {
      headers: { accept: 'application/json' },
    })
    return answer.ok ? await answer.json() : undefined
  } catch {
    // The connection may come back: poll again.
    return undefined
  }
}

export {}

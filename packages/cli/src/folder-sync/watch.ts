import { watch } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
import { isHiddenName } from '@recto/lib/hidden-file.ts'
import type { Session } from './compare.ts'
import { createService } from './service.ts'

/** Writes of one program come in bursts. */
const QUIET_MS = 300

/** Yields at once, and when files of the folder or pages of the space may have changed, until the signal aborts. */
export async function* changesOfBoth({ root, client, config }: Session, signal: AbortSignal): AsyncGenerator<void> {
  const service = createService(client, config, () => {})
  let isChanged = true
  let wake = () => {}
  let failure: unknown
  const onChange = () => {
    isChanged = true
    wake()
  }
  const failed = (error: unknown) => {
    failure = error
    wake()
  }
  signal.addEventListener('abort', () => wake(), { once: true })
  const isOwn = (name: string) => name.split(/[/\\]/).some(isHiddenName)
  watch(root, { recursive: true, signal }, (_, name) => {
    if (name !== null && !isOwn(name)) onChange()
  }).once('error', failed)
  follow(service.follow(await service.now(), signal), onChange).catch(failed)
  while (!signal.aborted) {
    if (failure !== undefined) throw failure
    if (isChanged) {
      isChanged = false
      yield
    } else {
      await new Promise<void>((resolve) => {
        wake = resolve
      })
      if (!signal.aborted) await setTimeout(QUIET_MS)
    }
  }
}

async function follow(events: AsyncIterable<unknown>, onChange: () => void): Promise<void> {
  for await (const _ of events) onChange()
}

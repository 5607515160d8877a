import { watch } from 'node:fs'
import { isHiddenName } from '../lib/hidden-file.ts'
import type { Session } from './look.ts'
import { createService } from './service.ts'

const QUIET_MS = 300

/** Yields when files of the folder or pages of the space may have changed, until the signal aborts. */
export async function* changesOfBoth(
  { root, client, config }: Session,
  signal: AbortSignal,
): AsyncGenerator<void> {
  let wake = () => {}
  let isChanged = false
  const changed = () => {
    isChanged = true
    wake()
  }
  const stop = AbortSignal.any([signal])
  stop.addEventListener('abort', () => wake(), { once: true })
  const watcher = watch(root, { recursive: true, signal: stop }, (_, name) => {
    if (!name?.split(/[/\\]/).some(isHiddenName)) changed()
  })
  // A folder that cannot be watched any more ends the run.
  const failed = new Promise<never>((_, reject) => watcher.once('error', reject))
  failed.catch(changed)
  const followed = followSpace(
    createService(client, config.space, () => {}),
    stop,
    changed,
  )
  followed.catch(changed)
  while (!stop.aborted) {
    if (!isChanged) await new Promise<void>((resolve) => (wake = resolve))
    if (stop.aborted) return
    await Promise.race([failed, followed, quiet()])
    isChanged = false
    yield
  }
}

/** Writes of one program come in bursts. */
function quiet(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, QUIET_MS))
}

async function followSpace(
  service: ReturnType<typeof createService>,
  signal: AbortSignal,
  changed: () => void,
): Promise<void> {
  for await (const _ of service.follow(signal)) changed()
}

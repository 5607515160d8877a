import { setTimeout as delay } from 'node:timers/promises'
import { uuid7 } from '@recto/lib/encoding/uuid7.ts'
import type { Runtime } from '../../../access/ctx.ts'
import { autocommit } from '../../../platform/database/database.ts'
import { returnNodeLease, takeNodeLease } from '../../../platform/database/lease.ts'
import { createPublicCheck, createResolver } from '../../../platform/outbound/ssrf-filter.ts'
import { refreshCatalogue } from './catalogue.ts'

const FIRST_MS = 1_000
const EVERY_MS = 60 * 60_000
/** Longer than a refresh can take. */
const LEASE_SECONDS = 600
const NAME = 'space-template-catalogue'

type RefresherDeps = Pick<Runtime, 'db' | 'config' | 'now' | 'log'>

/** Refreshes the remote catalogue in the background, if one is configured, on one node at a time. */
export function startCatalogue(ctx: RefresherDeps): AsyncDisposable {
  const stopping = new AbortController()
  const { spaceTemplatesUrl: url } = ctx.config
  const running = url === undefined ? Promise.resolve() : run(ctx, url, stopping.signal)
  return {
    async [Symbol.asyncDispose]() {
      stopping.abort()
      await running
    },
  }
}

async function run(ctx: RefresherDeps, url: string, signal: AbortSignal): Promise<void> {
  const fetching = {
    resolve: createResolver(),
    reach: {
      allowHttp: ctx.config.spaceTemplatesAllowHttp,
      allowPrivate: ctx.config.spaceTemplatesAllowPrivateUrls,
      isPublic: createPublicCheck(),
    },
  }
  const lease = { name: NAME, holder: uuid7() }
  for (let pause = FIRST_MS; ; pause = EVERY_MS * (0.9 + Math.random() * 0.2)) {
    await delay(pause, undefined, { signal, ref: false }).catch(() => {})
    if (signal.aborted) return
    try {
      if (!(await takeNodeLease(autocommit(ctx.db), { ...lease, seconds: LEASE_SECONDS }))) continue
      const { problems, ...report } = await refreshCatalogue(ctx, fetching, url, signal)
      if (problems.length > 0) ctx.log.warn({ problems }, 'some remote space templates are invalid')
      ctx.log.info(report, 'the remote space templates were refreshed')
    } catch (error) {
      if (signal.aborted) return
      ctx.log.warn({ err: error }, 'the remote space templates could not be refreshed: the last valid copies are kept')
    } finally {
      await returnNodeLease(autocommit(ctx.db), lease).catch(() => {})
    }
  }
}

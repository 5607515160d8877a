import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from './load-balancer.ts'
import { type RectoProcess, startProcess } from './process.ts'

/** Nodes that share a database, each a process of its own. */
export interface NodeProcesses extends AsyncDisposable {
  readonly ports: readonly number[]
  /** The first admin's key. */
  readonly key: string
  /**
   * Stops a node by a signal, SIGTERM if none is given, and starts another one on its port; returns the exit code of
   * the first.
   */
  restart(index: number, signal?: NodeJS.Signals): Promise<number | null>
}

export async function startNodeProcesses(count: number, env: Readonly<Record<string, string>>): Promise<NodeProcesses> {
  await using starting = new AsyncDisposableStack()
  const data = mkdtempSync(join(tmpdir(), 'recto-nodes-'))
  starting.defer(() => rmSync(data, { recursive: true, force: true }))
  const ports: number[] = []
  const nodes: RectoProcess[] = []
  starting.defer(async () => void (await Promise.all(nodes.map((node) => node[Symbol.asyncDispose]()))))
  const start = (port: number) =>
    startProcess({
      data,
      env: {
        SVC_RATE_LIMIT: '0',
        SVC_MAX_CONCURRENT_REQUESTS: '0',
        SVC_TRUST_PROXY: '1',
        ...env,
        SVC_PORT: String(port),
      },
    })
  // One after the other: the first one makes the schema.
  for (let index = 0; index < count; index++) {
    const port = await freePort()
    nodes.push(await start(port))
    ports.push(port)
  }
  const running = starting.move()
  return {
    ports,
    key: nodes[0]?.key ?? '',
    async restart(index, signal = 'SIGTERM') {
      const node = nodes[index]
      const port = ports[index]
      if (!node || port === undefined) throw new RangeError(`there is no node ${index}`)
      node.child.kill(signal)
      const code = await node.ended
      nodes[index] = await start(port)
      return code
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  }
}

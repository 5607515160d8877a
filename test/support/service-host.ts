/** A process that runs services for test files; see service-hosts.ts. */
import { writeFileSync } from 'node:fs'
import { createServer, type Socket } from 'node:net'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { type Exchange, loadContract } from './contract.ts'
import { startLocalNodes } from './local-nodes.ts'
import { type LocalService, startLocalService } from './local-service.ts'
import { DOCUMENT, type Started, type StartedNodes, toLine } from './service-hosts.ts'

const [path = '', documentFile] = process.argv.slice(2)

let contract: ReturnType<typeof loadContract> | undefined

/**
 * Starts a service or two nodes with an environment, or compares an exchange with the OpenAPI document, whose schemas
 * are compiled once for all files; a command with none of these restarts the service.
 */
interface Command {
  readonly exchange?: Exchange
  readonly env?: Readonly<Record<string, string>>
  readonly nodes?: Readonly<Record<string, string>>
}

async function serve(socket: Socket): Promise<void> {
  const lines = createInterface(socket)
  // A test process that was killed resets the connection: its service is stopped as well.
  socket.on('error', () => lines.close())
  let service: LocalService | undefined
  let nodes: AsyncDisposable | undefined
  for await (const line of lines) {
    const reply = await run(JSON.parse(line)).catch((error: Error) => ({ error: error.message }))
    socket.write(toLine(reply))
  }
  await service?.[Symbol.asyncDispose]()
  await nodes?.[Symbol.asyncDispose]()
  socket.end()

  async function run(command: Command): Promise<Started | StartedNodes | { readonly difference?: string | undefined }> {
    if (command.exchange) {
      contract ??= loadContract(join(dirname(path), DOCUMENT))
      return { difference: contract(command.exchange) }
    }
    if (command.nodes) {
      const started = await startLocalNodes(command.nodes)
      nodes = started
      return started
    }
    if (service) await service.restart()
    else service = await startLocalService(command.env)
    const { app, data } = service
    return { address: app.address, adminKey: app.adminKey, setupUrl: app.setupUrl, data }
  }
}

if (documentFile !== undefined) {
  const { apiDocument } = await import('../../tools/client-types.ts')
  writeFileSync(documentFile, JSON.stringify(await apiDocument()))
}
createServer({ allowHalfOpen: true }, (socket) => void serve(socket)).listen(path, () => process.send?.('ready'))
process.once('disconnect', () => process.exit())

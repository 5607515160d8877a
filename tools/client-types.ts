/**
 * Writes src/client/openapi.ts, the types of the client, from the OpenAPI document of the service as it stands.
 * `npm run client:types`; test/client/types.test.ts fails while that was forgotten.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { createApp } from '../src/app.ts'
import { loadConfig } from '../src/config.ts'

/** Where the types stand. */
export const TYPES_FILE = join(import.meta.dirname, '../src/client/openapi.ts')

/** Not imported by its name: its types bring a browser's globals into every file. */
const GENERATOR: string = 'openapi-typescript'

interface Generator {
  default(
    document: object,
    options: { readonly emptyObjectsUnknown: boolean; readonly immutable: boolean },
  ): Promise<unknown>
  astToString(types: unknown): string
}

interface Content {
  content?: Record<string, unknown>
}

interface Document {
  readonly paths: Readonly<
    Record<
      string,
      Readonly<Record<string, { requestBody?: Content; responses?: Readonly<Record<string, Content>> }>>
    >
  >
}

/** The text of the types for an OpenAPI document. */
export async function clientTypes(document: object): Promise<string> {
  const api = structuredClone(document) as Document // as the service makes it
  for (const operation of Object.values(api.paths).flatMap((path) => Object.values(path))) {
    for (const holder of [operation.requestBody, ...Object.values(operation.responses ?? {})]) {
      keepJson(holder)
    }
  }
  // openapi-typescript calls the compiler's JavaScript API, which TypeScript 7 does not have.
  const hooks = registerHooks({
    resolve: (specifier, context, next) =>
      next(specifier === 'typescript' ? '@typescript/typescript6' : specifier, context),
  })
  try {
    const { default: openapiTs, astToString } = (await import(GENERATOR)) as Generator
    const types = astToString(await openapiTs(api, { emptyObjectsUnknown: true, immutable: true }))
    return `// Made by \`npm run client:types\` from /openapi.json: not to be changed by hand.\n\n${types}`
  } finally {
    hooks.deregister()
  }
}

/** Markdown, HTML and archives are bytes to the client: only JSON has a shape. */
function keepJson(holder: Content | undefined): void {
  const json = holder?.content?.['application/json']
  if (holder && json !== undefined) holder.content = { 'application/json': json }
}

async function main(): Promise<void> {
  const data = mkdtempSync(join(tmpdir(), 'recto-types-'))
  try {
    const config = loadConfig({ SVC_DATA: data, SVC_PORT: '0', SVC_LOG_LEVEL: 'silent' })
    await using app = await createApp(config, pino({ level: config.logLevel }))
    const response = await fetch(`${app.address}/openapi.json`)
    writeFileSync(TYPES_FILE, await clientTypes((await response.json()) as object))
  } finally {
    rmSync(data, { recursive: true, force: true })
  }
}

if (import.meta.main) await main()

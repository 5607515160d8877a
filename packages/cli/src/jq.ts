import { UsageError } from './command.ts'

/** The results of a jq filter, strings without quotes. `jq-wasm` is jq itself, compiled to WebAssembly. */
export async function applyJq(json: string, filter: string): Promise<string> {
  // The module is CommonJS: in a bundle it has a default export only.
  const { default: jq } = await import('jq-wasm')
  const { exitCode } = process
  try {
    const results = await jq.raw(json, filter, ['-r'])
    return results === '' || results.endsWith('\n') ? results : `${results}\n`
  } catch (error) {
    throw new UsageError(`--jq ${filter}: ${(error as Error).message}`)
  } finally {
    // The program sets that of the process.
    process.exitCode = exitCode
  }
}

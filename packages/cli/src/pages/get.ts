import { type CommandCall, UsageError } from '../command.ts'
import { openClient } from '../connection.ts'
import { printJson } from '../print.ts'
import { oneLine, visible } from '../table.ts'
import { pageNamed } from './page-name.ts'

/** `recto get`: prints a page as Markdown, HTML, JSON or outline. */
export async function getCommand(call: CommandCall): Promise<void> {
  const { terminal } = call
  const { space, path } = pageNamed(call.arg('page'), terminal)
  const version = call.number('version')
  const [html, outline, json] = [call.flag('html'), call.flag('outline'), call.flag('json')]
  if (html && (outline || json)) throw new UsageError('--html cannot be combined with --outline or --json')
  const client = openClient(terminal)
  if (html) {
    print(call, await client.pages.getHtml(space, path, { version }))
  } else if (outline) {
    const { body } = await client.pages.getMarkdown(space, path, { version })
    const headings = await findOutline(body)
    if (json) printJson(call, headings)
    for (const { level, line, text } of json ? [] : headings) {
      terminal.out(`${String(line).padStart(6)}  ${'  '.repeat(level - 1)}${oneLine(text)}\n`)
    }
  } else if (json) {
    printJson(call, await client.pages.get(space, path, { version }))
  } else {
    print(call, (await client.pages.getMarkdown(space, path, { version })).body)
  }
}

/** Prints the exact text; on a terminal without control characters and with a final line break. */
function print({ terminal }: CommandCall, text: string): void {
  if (terminal.width === undefined) terminal.out(text)
  else terminal.out(visible(text.replaceAll('\r\n', '\n')).replace(/\n?$/, '\n'))
}

/** The headings of sections, by the parser of the service. */
async function findOutline(body: string) {
  const { analysePage } = await import('@recto/markdown/page.ts')
  return analysePage(body)
    .headings.filter(({ nested }) => !nested)
    .map(({ level, line, text }) => ({ level, line, text }))
}

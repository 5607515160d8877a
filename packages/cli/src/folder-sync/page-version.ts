/** The version of a page that exists: only what a change request creates has none. */
export function pageVersion({ path, version }: { readonly path: string; readonly version: number | null }): number {
  if (version === null) throw new Error(`The page ${path} has no version`)
  return version
}

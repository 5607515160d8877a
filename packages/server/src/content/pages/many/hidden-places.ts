import type { PageAddress } from '@recto/contract/page-address.ts'

/** Which places readers of other places cannot read. A place is where one folder rule, or none, decides. */
export interface HiddenPlaces {
  /** The prefixes of the folder rules of each space, by its slug. */
  readonly prefixes: ReadonlyMap<string, ReadonlySet<string>>
  /** The keys of two places: somebody who reads the first one cannot read the second. */
  readonly pairs: ReadonlySet<string>
}

export function toPlaceKey({ prefixes }: Pick<HiddenPlaces, 'prefixes'>, { space, path }: PageAddress): string {
  const rulePrefixes = prefixes.get(space)
  let prefix = rulePrefixes ? path : ''
  while (prefix !== '' && !rulePrefixes?.has(prefix)) prefix = prefix.slice(0, Math.max(0, prefix.lastIndexOf('/')))
  return `${space}/${prefix}`
}

export function toPairKey(page: string, target: string): string {
  return `${page}\t${target}`
}

/** Whether somebody who reads a page cannot read a target: then its address is not written into the body. */
export function isHiddenFrom(places: HiddenPlaces, page: PageAddress, target: PageAddress): boolean {
  return places.pairs.has(toPairKey(toPlaceKey(places, page), toPlaceKey(places, target)))
}

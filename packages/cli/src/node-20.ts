/** Functions that Node 20 lacks, as far as the command line uses them. The npm package `recto` brings them. */

Map.groupBy ??= <K, T>(items: Iterable<T>, keyOf: (item: T, index: number) => K): Map<K, T[]> => {
  const groups = new Map<K, T[]>()
  let index = 0
  for (const item of items) {
    const key = keyOf(item, index++)
    const group = groups.get(key)
    if (group) group.push(item)
    else groups.set(key, [item])
  }
  return groups
}

Promise.withResolvers ??= <T>(): PromiseWithResolvers<T> => {
  const resolvers: Partial<PromiseWithResolvers<T>> = {}
  const promise = new Promise<T>((resolve, reject) => Object.assign(resolvers, { resolve, reject }))
  return { ...resolvers, promise } as PromiseWithResolvers<T> // the constructor has called its function
}

URL.parse ??= (url: string, base?: string): URL | null => (URL.canParse(url, base) ? new URL(url, base) : null)

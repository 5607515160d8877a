/** A mistake in the value of a setting. */
export class Problem {
  readonly message: string
  constructor(message: string) {
    this.message = message
  }
}

/** A whole number within bounds. */
export function integer(min: number, max: number): (text: string) => number | Problem {
  return (text) => {
    const value = /^\d{1,12}$/.test(text) ? Number(text) : Number.NaN
    return value >= min && value <= max ? value : new Problem(`must be a whole number from ${min} to ${max}`)
  }
}

/** `1` or `0`. */
export function flag(text: string): boolean | Problem {
  if (text === '1') return true
  return text === '0' ? false : new Problem('must be 1 or 0')
}

/** One of several values. */
export function parseChoice<T extends string>(values: readonly T[]): (text: string) => T | Problem {
  return (text) => values.find((value) => value === text) ?? new Problem(`must be one of ${values.join(', ')}`)
}

/** The origin of a URL, without anything after it. */
export function origin(text: string): string | Problem {
  const url = URL.parse(text)
  if (!url || !['http:', 'https:'].includes(url.protocol)) {
    return new Problem('must be an address such as https://wiki.example.org')
  }
  const bare = url.pathname === '/' && !url.search && !url.hash && !url.username
  return bare ? url.origin : new Problem('must be an origin only, without a path, query or credentials')
}

/** A web address without credentials. */
export function webAddress(text: string): string | Problem {
  const url = URL.parse(text)
  return url && ['http:', 'https:'].includes(url.protocol) && !url.username && !url.password
    ? url.href
    : new Problem('must be an address such as https://templates.example.org/catalogue.json')
}

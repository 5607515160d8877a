export function errorDocument(p: { title: string; detail: string }): string {
  return `${p.title} ${p.detail}`
}

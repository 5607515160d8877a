export function limitYoungGeneration(): void
export function semiSpaceMb(bytes: number): number

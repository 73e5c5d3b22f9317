import type { Frame, Patch } from '../frame.ts'

/** Of the frames that both fill, the share at their end over which one filling passes into the other. */
const passing = 0.5

/**
 * Has a frame that was filled pass into the same frame filled otherwise: `share` is how far both have come, 0 to 1. In
 * place, within its patches.
 */
export function mix(
  { width, height, bytes }: Frame,
  other: Frame,
  { patches, share }: { readonly patches: readonly Patch[]; readonly share: number },
): void {
  const part = Math.min(1, Math.max(0, (share - 1 + passing) / passing))
  if (part === 0) return
  const pixels = width * height
  for (const patch of patches) {
    for (const [from, step] of [
      [0, 1],
      [pixels, 2],
      [pixels * 1.25, 2],
    ] as const) {
      const stride = width / step
      for (let row = patch.y / step; row < (patch.y + patch.height) / step; row += 1) {
        const line = from + row * stride
        for (let at = line + patch.x / step; at < line + (patch.x + patch.width) / step; at += 1) {
          const own = bytes[at] ?? 0
          bytes[at] = Math.round(own + ((other.bytes[at] ?? 0) - own) * part)
        }
      }
    }
  }
}

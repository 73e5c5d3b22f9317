/** How a video is read before any of its picture is treated: where files may be made, and for how long. */
export interface Reading {
  readonly scratch: string
  readonly signal: AbortSignal
  readonly timeoutMs: number
}

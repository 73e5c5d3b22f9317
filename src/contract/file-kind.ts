// Without schemas: what only asks of an extension, as a thread that reads a video, starts without their library.

/** Extensions the service takes, by kind (contract 1, 4.1; text-like ones: docs/contract.md). */
export const extensionsByKind = {
  image: ['.jpg', '.jpeg', '.png', '.webp', '.bmp'],
  audio: ['.mp3', '.wav', '.m4a', '.aac', '.flac', '.ogg'],
  video: ['.mp4', '.mov', '.avi', '.mkv', '.flv', '.webm'],
  text: ['.srt', '.ass', '.vtt', '.txt', '.html', '.json', '.gtrk'],
  midi: ['.mid'],
} as const

export type FileKind = keyof typeof extensionsByKind

/** Every kind of file. */
export const fileKinds = Object.keys(extensionsByKind) as readonly FileKind[]

/** Names the extensions of some kinds, as the fix of an error. */
export function supportedHint(kinds: readonly FileKind[] = fileKinds): string {
  return `Supported: ${kinds.flatMap((kind) => extensionsByKind[kind]).join(' ')}`
}

const kindByExtension = new Map<string, FileKind>(
  Object.entries(extensionsByKind).flatMap(([kind, extensions]) =>
    extensions.map((extension) => [extension, kind as FileKind] as const),
  ),
)

/** Extension of a file name in lower case with its dot; empty when it has none. */
export function extensionOf(name: string): string {
  const dot = name.lastIndexOf('.')
  return dot > 0 ? name.slice(dot).toLowerCase() : ''
}

/** Kind by extension; undefined for a type the service does not take. */
export function kindOf(extension: string): FileKind | undefined {
  return kindByExtension.get(extension)
}

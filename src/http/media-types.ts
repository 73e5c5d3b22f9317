const mediaTypes: Readonly<Record<string, string>> = {
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
  '.png': 'image/png',
  '.webp': 'image/webp',
  '.bmp': 'image/bmp',
  '.mp3': 'audio/mpeg',
  '.wav': 'audio/wav',
  '.m4a': 'audio/mp4',
  '.aac': 'audio/aac',
  '.flac': 'audio/flac',
  '.ogg': 'audio/ogg',
  '.mp4': 'video/mp4',
  '.mov': 'video/quicktime',
  '.avi': 'video/x-msvideo',
  '.mkv': 'video/x-matroska',
  '.flv': 'video/x-flv',
  '.webm': 'video/webm',
  '.mid': 'audio/midi',
  '.json': 'application/json',
  '.txt': 'text/plain',
  '.html': 'text/html',
  '.srt': 'application/x-subrip',
  '.ass': 'text/x-ssa',
  '.vtt': 'text/vtt',
}

/** Media type of a stored file by its extension; that of any bytes where none is registered or usual. */
export function mediaTypeOf(extension: string): string {
  return mediaTypes[extension] ?? 'application/octet-stream'
}

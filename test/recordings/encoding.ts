/**
 * Arguments of ffmpeg that encode a picture as H.264 and a sound file as AAC. The settings are fast, because recordings are
 * long; one thread, because other test files use the other cores. 96 kbit/s preserve noise of -70 dB.
 */
export function recordingEncoding(sound: string): string[] {
  return [
    ...['-i', sound, '-c:v', 'libx264', '-preset', 'ultrafast', '-threads', '1', '-crf', '20'],
    ...['-pix_fmt', 'yuv420p', '-c:a', 'aac', '-aac_coder', 'fast', '-b:a', '96k', '-ar', '48000'],
  ]
}

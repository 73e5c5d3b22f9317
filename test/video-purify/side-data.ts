/** Inserts closed captions (CEA-608, empty) into an H.264 byte stream before its first frame. */
export function withCaptions(stream: Buffer): Buffer {
  const at = stream.indexOf(Buffer.from([0, 0, 1, 0x65]))
  const captions = Buffer.from('b50031474139340341fffc8080ff', 'hex')
  // An SEI unit (6) with one registered user data message (4).
  const unit = Buffer.concat([Buffer.from([0, 0, 1, 6, 4, captions.length]), captions, Buffer.from([0x80])])
  return Buffer.concat([stream.subarray(0, at), unit, stream.subarray(at)])
}

/** Marks the picture of an mp4 with a trailing header as spherical (360 degrees). */
export function withSphere(file: Buffer): Buffer {
  const words = ['Spherical>true', 'Stitched>true', 'StitchingSoftware>a', 'ProjectionType>equirectangular']
  const tags = words.map((word) => `<GSpherical:${word}</GSpherical:${word.slice(0, word.indexOf('>'))}>`)
  const xml = Buffer.from(`<?xml version="1.0"?><rdf:SphericalVideo>${tags.join('')}</rdf:SphericalVideo>`)
  const head = Buffer.from('0000000075756964ffcc8263f8554a938814587a02521fdd', 'hex')
  const box = Buffer.concat([head, xml])
  box.writeUInt32BE(box.length)
  const [boxStart, track] = [file.indexOf('moov') - 4, file.indexOf('trak') - 4]
  const end = track + file.readUInt32BE(track)
  const withBox = Buffer.concat([file.subarray(0, end), box, file.subarray(end)])
  for (const at of [boxStart, track]) withBox.writeUInt32BE(file.readUInt32BE(at) + box.length, at)
  return withBox
}

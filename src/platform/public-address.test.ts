import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isPublicAddress } from './public-address.ts'

describe('isPublicAddress', () => {
  test.each(['8.8.8.8', '1.1.1.1', '172.15.255.255', '172.32.0.0', '2606:4700::1111', '2a00:1450::1'])(
    '%s is public',
    (address) => expect(isPublicAddress(address)).toBe(true),
  )

  test.each([
    ...['127.0.0.1', '10.1.2.3', '172.16.0.1', '192.168.1.1', '169.254.169.254', '100.64.0.1', '0.0.0.0'],
    ...['224.0.0.1', '255.255.255.255', '198.18.0.1', '::1', '::', 'fe80::1', 'fc00::1', 'ff02::1'],
    ...[
      '::ffff:10.0.0.1',
      '::ffff:8.8.8.8',
      '64:ff9b::a00:1',
      '2002:a00:1::',
      '2001:db8::1',
      '2001::1',
      'x',
      '',
    ],
  ])('%s is not public', (address) => expect(isPublicAddress(address)).toBe(false))

  test('no address of a private network is public', () => {
    const octet = fc.integer({ min: 0, max: 255 })
    const inside = fc.oneof(
      fc.tuple(fc.constant(10), octet, octet, octet),
      fc.tuple(fc.constant(127), octet, octet, octet),
      fc.tuple(fc.constant(172), fc.integer({ min: 16, max: 31 }), octet, octet),
      fc.tuple(fc.constant(192), fc.constant(168), octet, octet),
    )
    fc.assert(fc.property(inside, (octets) => !isPublicAddress(octets.join('.'))))
  })

  test.each([
    // Metadata and host services of Azure, Oracle, Alibaba, Amazon and Google.
    ...['168.63.129.16', '192.0.0.192', '100.100.100.200', 'fd00:ec2::254', 'fd20:ce::254'],
    // First and last addresses of special-purpose networks.
    ...['0.255.255.255', '100.127.255.255', '169.254.255.255', '192.0.0.0', '192.0.0.255', '192.0.2.255'],
    ...['192.31.196.1', '192.52.193.1', '192.88.99.1', '192.175.48.1', '198.19.255.255', '198.51.100.255'],
    ...['203.0.113.255', '240.0.0.1', '64:ff9b:1::1', '100::1', '100:0:0:1::1', '2001:1ff:ffff::1'],
    ...['2620:4f:8000::1', '3fff:fff::1', '5f00::1', 'fe80::1%eth0', 'fec0::1'],
  ])('%s is not public', (address) => expect(isPublicAddress(address)).toBe(false))

  test.each(['168.63.129.15', '168.63.129.17', '192.31.197.1', '2620:4f:8001::1'])(
    '%s beside a special network is public',
    (address) => expect(isPublicAddress(address)).toBe(true),
  )

  test('no IPv6 form of an IPv4 address is public', () => {
    const forms = (a: string, b: string): string[] => [
      ...[`::${a}:${b}`, `::ffff:${a}:${b}`, `::ffff:0:${a}:${b}`, `64:ff9b::${a}:${b}`],
      ...[`64:ff9b:1::${a}:${b}`, `2002:${a}:${b}::1`, `2001:0:${a}:${b}::1`],
    ]
    const group = fc.integer({ min: 0, max: 0xffff }).map((value) => value.toString(16))
    fc.assert(fc.property(group, group, (a, b) => forms(a, b).every((form) => !isPublicAddress(form))))
    expect(forms('a83f', '8110').filter(isPublicAddress)).toEqual([])
  })
})

import { describe, expect, it } from 'vitest'
import { isLocalNetworkHost, isServiceAddress } from '../../../src/engines/services/services.ts'

describe('isServiceAddress and isLocalNetworkHost', () => {
  it.each([
    'https://api.example.com/v1',
    'http://127.0.0.1:11434/v1',
    'http://[::1]:8080/v1',
    'http://192.168.1.9:8000',
    'http://10.1.2.3/v1',
    'http://172.20.0.2/v1',
    'http://100.101.102.103/v1',
    'http://[fd00::7]/v1',
    'http://ollama:11434/v1',
    'http://studio.local:1234/v1',
    'http://host.docker.internal:11434/v1',
  ])('may be %s', (address) => {
    expect(isServiceAddress(address)).toBe(true)
  })

  it.each([
    'http://api.example.com/v1',
    'http://8.8.8.8/v1',
    'http://172.32.0.1/v1',
    'http://169.254.169.254/latest',
    'http://[2001:4860::8888]/v1',
    'https://user:password@api.example.com/v1',
    'https://api.example.com/v1?key=1',
    'ftp://127.0.0.1/v1',
    'file:///etc/passwd',
    '127.0.0.1:11434',
    '',
  ])('may not be %j', (address) => {
    expect(isServiceAddress(address)).toBe(false)
  })

  it('rejects hosts of other networks', () => {
    expect(['example.com', '192.169.0.1', 'notlocal.org'].filter(isLocalNetworkHost)).toEqual([])
  })
})

"""Which of fade-doctor's devices an object of PyTorch is: by PCI address, never by name or index."""


def slot_of(properties):
    """(domain, bus, device) where this PyTorch tells them, else None. An absent domain is 0."""
    bus = getattr(properties, 'pci_bus_id', None)
    if not isinstance(bus, int):
        return None
    return (getattr(properties, 'pci_domain_id', 0) or 0, bus, getattr(properties, 'pci_device_id', 0) or 0)


def parsed(slot):
    """'0000:03:00.0' as (0, 3, 0)"""
    try:
        domain, bus, rest = slot.split(':')
        return int(domain, 16), int(bus, 16), int(rest.split('.')[0], 16)
    except (AttributeError, ValueError):
        return None


def device_of(properties, devices):
    """The one device it can be, or None: at the same address, or the only GPU where no address is known on either side."""
    gpus = [d for d in devices if d['backend'] != 'host']
    slot = slot_of(properties)
    if slot is not None:
        same = [d for d in gpus if parsed(d.get('slot')) == slot]
        if len(same) == 1:
            return same[0]
    unplaced = [d for d in gpus if not d.get('slot')]
    return unplaced[0] if len(gpus) == len(unplaced) == 1 else None

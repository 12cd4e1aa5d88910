"""A workshop: a facilitator prepares it and is at the machine first, then one participant after another judges.

`setup.WorkshopSetup` prepares it; `room.WorkshopRoom` takes the window for as long as the workshop lasts.
"""

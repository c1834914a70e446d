# Home directories: every thread writes a new file, appends to another, reads a third, deletes one and looks at one.
set $dir=/export/home
set $files=10000
set $size=128k
set $threads=50

define fileset name=homes,path=$dir,size=$size,entries=$files,dirwidth=20,prealloc=80

define process name=users,instances=1
{
  thread name=user,memsize=10m,instances=$threads
  {
    flowop createfile name=make,filesetname=homes,fd=1
    flowop writewholefile name=fill,fd=1,iosize=1m
    flowop closefile name=made,fd=1
    flowop openfile name=again,filesetname=homes,fd=1
    flowop appendfilerand name=append,iosize=16k,fd=1
    flowop closefile name=appended,fd=1
    flowop openfile name=other,filesetname=homes,fd=1
    flowop readwholefile name=read,fd=1,iosize=1m
    flowop closefile name=seen,fd=1
    flowop deletefile name=remove,filesetname=homes
    flowop statfile name=look,filesetname=homes
  }
}

run 1
